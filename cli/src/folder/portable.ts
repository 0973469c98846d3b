/** What systems differ in, as the instance takes it: names, targets of links, and which files are programs. */
type Platform = NodeJS.Platform

/** macOS hands out names in pieces (NFD) that everybody else writes whole (NFC); it finds them by both. */
export const sentName = (name: string, platform: Platform): string =>
  platform === 'darwin' ? name.normalize('NFC') : name

/** Why a name cannot be sent: no instance takes it, and one such file would keep all others here. */
export function nameFault(name: string): string | null {
  if (name.includes('\ufffd') || !name.isWellFormed()) return 'its name is not UTF-8'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x1f\x7f]/.test(name)) return 'its name has a control character in it'
  return name.includes('\\') ? 'its name has a backslash in it' : null
}

/** Windows separates folders by backslashes, in links as well. */
export const sentTarget = (target: string, platform: Platform): string =>
  platform === 'win32' ? target.replaceAll('\\', '/') : target

/** Windows has no modes: there a file that says what it is run by is a program. */
export const hasModes = (platform: Platform): boolean => platform !== 'win32'
