/** What systems differ in, as the instance takes it: names, targets of links, and which files are programs. */
type Platform = NodeJS.Platform

/** macOS hands out names in pieces (NFD) that everybody else writes whole (NFC); it finds them by both. */
export const sentName = (name: string, platform: Platform): string =>
  platform === 'darwin' ? name.normalize('NFC') : name

/** Windows separates folders by backslashes, in links as well. */
export const sentTarget = (target: string, platform: Platform): string =>
  platform === 'win32' ? target.replaceAll('\\', '/') : target

/** Windows has no modes: there a file that says what it is run by is a program. */
export const hasModes = (platform: Platform): boolean => platform !== 'win32'
