/** A file or folder as a browser hands it over, by a drop or by an input. */
export type Entry =
  | { kind: 'file'; name: string; file(): Promise<File> }
  | { kind: 'folder'; name: string; entries(): Promise<Entry[]> }

/** What was dropped. It must be asked for within the event: the list is gone after the first `await`. */
export function droppedEntries(items: DataTransferItemList): Entry[] {
  const roots = [...items].map((item) => item.webkitGetAsEntry())
  return roots.flatMap((root) => (root === null ? [] : [ofDrop(root)]))
}

function ofDrop(entry: FileSystemEntry): Entry {
  const { name } = entry
  if (entry.isFile)
    return {
      kind: 'file',
      name,
      file: () => new Promise((done, fail) => (entry as FileSystemFileEntry).file(done, fail)),
    }
  return { kind: 'folder', name, entries: () => allOf(entry as FileSystemDirectoryEntry) }
}

/** The browser gives a hundred at a time, and none at the end. */
async function allOf(folder: FileSystemDirectoryEntry): Promise<Entry[]> {
  const reader = folder.createReader()
  const all: Entry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
    if (some.length === 0) return all
    all.push(...some.map(ofDrop))
  }
}

/** The same of a folder input, which has listed all of it by now: the one root, as a tree. */
export function chosenEntries(list: Iterable<File>): Entry[] {
  const root: Tree = { files: [], folders: new Map() }
  for (const file of list) {
    const parts = file.webkitRelativePath.split('/')
    let tree = root
    for (const part of parts.slice(0, -1)) {
      const next = tree.folders.get(part) ?? { files: [], folders: new Map() }
      tree.folders.set(part, next)
      tree = next
    }
    tree.files.push(file)
  }
  return ofTree(root)
}

type Tree = { files: File[]; folders: Map<string, Tree> }

const ofTree = ({ files, folders }: Tree): Entry[] => [
  ...files.map((file): Entry => ({ kind: 'file', name: file.name, file: async () => file })),
  ...[...folders].map(([name, tree]): Entry => ({ kind: 'folder', name, entries: async () => ofTree(tree) })),
]
