/** In this order: most say that they are several others as well. */
const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** What a session was begun with, as far as it says so: a browser may call itself anything. */
export function browserInWords(userAgent: string | null): string {
  if (!userAgent) return 'Something that did not say what it is'
  const first = (of: [RegExp, string][]) => of.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [first(BROWSERS), first(SYSTEMS)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? userAgent.slice(0, 60)
}
