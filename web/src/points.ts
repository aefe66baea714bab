// Names of points. The board's lists begin at the top left corner.

const LETTERS = 'ABCDEFGHJKLMNOPQRST'

export type Point = [x: number, y: number]

export function nameOf([x, y]: Point, height: number): string {
  return `${LETTERS[x]}${height - y}`
}

/** The point of a name; none for a pass. */
export function pointOf(name: string, height: number): Point | null {
  const x = LETTERS.indexOf(name[0] ?? '')
  const row = Number(name.slice(1))
  return x >= 0 && row >= 1 && row <= height ? [x, height - row] : null
}

export const letter = (x: number) => LETTERS[x] ?? ''
