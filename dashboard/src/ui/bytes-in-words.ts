const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']
/** Limits are given in these steps, so that 512 of the settings are 512 here. */
const STEP = 1024

/** `512 B`, `1.5 kB`, `190 MB`, `7.6 GB`. */
export function bytesInWords(bytes: number): string {
  let value = bytes
  let at = 0
  while (value >= STEP - 0.5 && at < UNITS.length - 1) {
    value /= STEP
    at++
  }
  return `${at === 0 || value >= 99.5 ? Math.round(value) : Number(value.toFixed(1))} ${UNITS[at]}`
}
