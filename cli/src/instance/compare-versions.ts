/** Whether a version is older than another, by the numbers before its first dash; one that has a dash is before the one without. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [parts(a), parts(b)]
  for (let n = 0; n < 3; n++) {
    const difference = (left.numbers[n] ?? 0) - (right.numbers[n] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return left.early && !right.early
}

/** Whether an instance understands a command line. Its own it always does, also where that is no release yet. */
export const isUnderstood = (version: string, { least, newest }: { least: string; newest: string }): boolean =>
  version === newest || !isOlder(version, least)

function parts(version: string) {
  const [release = '', ...rest] = version.replace(/\+.*$/, '').split('-')
  return { numbers: release.split('.').map((one) => Number.parseInt(one, 10) || 0), early: rest.length > 0 }
}
