// The texts of the page in the language of its reader. English stands where a text is used; languages/ has the others.

import ja from './languages/ja'
import ko from './languages/ko'
import zh from './languages/zh'

const LANGUAGES = { zh, ja, ko }

/** Languages to choose from, each by its own name. */
export const NAMES = { en: 'English', zh: '中文', ja: '日本語', ko: '한국어' }

export type Language = keyof typeof NAMES

let chosen: Record<string, string> | undefined

/** Changes to a language; `auto` is the browser's. */
export function speak(language: Language | 'auto') {
  const wanted = language === 'auto' ? navigator.language.slice(0, 2) : language
  const known = wanted in NAMES ? (wanted as Language) : 'en'
  document.documentElement.lang = known
  chosen = known === 'en' ? undefined : LANGUAGES[known]
}

/** A text with its values in place: `{n} moves`. */
export function t(text: string, values: Record<string, string | number> = {}): string {
  return (chosen?.[text] ?? text).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}
