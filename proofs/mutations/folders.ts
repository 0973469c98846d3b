import type { Mutation } from './mutation.ts'

/** What pages send of a folder. */
export const folders: Mutation[] = [
  {
    name: 'secrets-sent-along',
    guards: 'bin/prove dashboard-drop: files of secrets stay with whoever has them',
    file: 'contract/src/folder-rules.ts',
    find: 'includeEnv ? ALWAYS : [...ALWAYS, ...SECRETS]',
    replace: 'includeEnv ? [...ALWAYS, ...SECRETS] : ALWAYS',
    red: {
      test: 'dashboard/src/folders/read-folder.test.ts',
      title: 'files of secrets stay: the names in them are told, and nothing else',
    },
  },
  {
    name: 'folder-sent-again',
    guards: 'bin/prove dashboard-drop: what the server has is not sent again',
    file: 'dashboard/src/folders/upload.ts',
    find: '  let missing = first\n',
    replace: '  let missing = first.concat([...bySum.keys()])\n',
    red: {
      test: 'dashboard/test/journeys/new-project.test.ts',
      title: '2,000 files are sent once and then never again; the plan is edited, refused at its row, and deployed',
    },
  },
]
