// Sounds of stones, made on the spot: a click of noise and the short ring of a wooden board.

let context: AudioContext | null = null

function thud(at: number, loudness: number, pitch: number) {
  if (!context) return
  const length = 0.09
  const noise = context.createBuffer(1, context.sampleRate * length, context.sampleRate)
  const samples = noise.getChannelData(0)
  for (let i = 0; i < samples.length; i++) {
    samples[i] = (Math.random() * 2 - 1) * Math.exp(-i / (context.sampleRate * 0.006))
  }
  const click = context.createBufferSource()
  click.buffer = noise
  const filter = context.createBiquadFilter()
  filter.type = 'bandpass'
  filter.frequency.value = pitch * 4
  filter.Q.value = 0.8
  const board = context.createOscillator()
  board.frequency.setValueAtTime(pitch, at)
  board.frequency.exponentialRampToValueAtTime(pitch * 0.6, at + length)
  const volume = context.createGain()
  volume.gain.setValueAtTime(loudness, at)
  volume.gain.exponentialRampToValueAtTime(0.001, at + length)
  click.connect(filter).connect(volume)
  board.connect(volume)
  volume.connect(context.destination)
  click.start(at)
  board.start(at)
  board.stop(at + length)
}

/** Browsers allow sound only after the first touch. */
export function unlockSound() {
  try {
    context ??= new AudioContext()
    void context.resume()
  } catch {
    // A machine without sound.
  }
}

export function stoneSound(captured: boolean) {
  if (!context || context.state !== 'running') return
  const now = context.currentTime
  thud(now, 0.5, 320 + Math.random() * 40)
  if (captured) for (let i = 1; i <= 3; i++) thud(now + 0.06 + i * 0.045, 0.18, 500 + Math.random() * 200)
}

export function passSound() {
  if (!context || context.state !== 'running') return
  thud(context.currentTime, 0.2, 180)
}
