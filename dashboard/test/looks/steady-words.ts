/** What depends on the moment or is drawn by lot, and what stands in its place. In this order: a date has times in it. */
const PASSING: [RegExp, string][] = [
  [/\b[a-z]{3}_[0-9a-z]{26}\b|\breq_[0-9a-f-]{36}\b/g, 'id'],
  [/\bslp_[\w-]{4}…/g, 'slp_…'],
  [/\bSHA256:[\w+/=]{20,}/g, 'SHA256:fingerprint'],
  [/\bssh-ed25519 AAAA[\w+/=]{20,}/g, 'ssh-ed25519 key'],
  [/(127\.0\.0\.1|localhost):\d+/g, '$1:port'],
  [/\b\d{1,2}\/\d{1,2}\/\d{4}(, \d{1,2}:\d{2}:\d{2}\s[AP]M)?/g, 'a date'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a date'],
  [/\b\d{1,2}:\d\d(:\d\d)?(\s[AP]M)?\b/g, 'a time'],
  [/\b(just now|\d+ (min|h|d) ago)\b/g, 'some time ago'],
  [/\b\d+ h \d\d m\b|\b\d+ m \d\d s\b|\b\d+(\.\d+)? (ms|s|min|h|d)\b/g, 'a while'],
  [/\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/g, 'CODE'],
]

/** The words of a page without what is another in the next minute, or on the next machine. */
export const steadyWords = (words: string): string =>
  PASSING.reduce((text, [passing, instead]) => text.replace(passing, instead), words)
