/** How many files a folder of the product has at most; what is more is several words in one folder. */
const MOST_FILES = 25

/** Folders that hold one kind of thing, by name, and may grow. */
const GROWING: Record<string, string> = {
  'server/src/db/migrations': 'a file per step of the schema, in order, never moved',
  'contract/src': 'a file per area, imported by its name from other packages',
}

/** Tests are counted, READMEs are not. `files` are paths from the root. */
export function fullFolders(files: string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'))
    if (!/^(contract|server|cli|dashboard)\/src(\/|$)/.test(folder) || file.endsWith('/README.md')) continue
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && GROWING[folder] === undefined)
    .map(
      ([folder, count]) => `${folder} has ${count} files, and ${MOST_FILES} at most; split it by the words it is about`,
    )
}
