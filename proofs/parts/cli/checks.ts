/** Every check prints what it found; those that miss their bar are counted. */
export function checks() {
  const missed: string[] = []
  let all = 0
  return {
    check(what: string, ok: boolean): void {
      all += 1
      console.log(`  ${ok ? 'ok    ' : 'MISSED'} ${what}`)
      if (!ok) missed.push(what)
    },
    count: () => all,
    missed: () => missed,
  }
}
export type Check = ReturnType<typeof checks>['check']
