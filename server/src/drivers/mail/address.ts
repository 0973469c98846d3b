/** Longest that mail servers take (RFC 5321). */
const MOST_ADDRESS = 254
const MOST_LOCAL = 64
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Whether a text is one address and nothing else, so that no header and no second recipient can be made of it (SMTP and header
 * injection): no names, comments, quotes, routes or address literals, no blanks and nothing beyond ASCII.
 */
export function isPlainAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, host] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || text.length > MOST_ADDRESS || local.length > MOST_LOCAL || !LOCAL.test(local)) return false
  const labels = host.split('.')
  return labels.length > 1 && labels.every((label) => LABEL.test(label))
}

/** As a header has it: whatever breaks lines or steers a terminal becomes a blank. */
export const asOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
