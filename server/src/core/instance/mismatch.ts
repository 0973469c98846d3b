/** Said on the operator's terminal, where Slipway does not start. Nothing was changed yet. */
const refusal = (what: string, why: string, ...todo: string[]) =>
  new Error([what, why, ...todo.map((line) => `- ${line}`)].join('\n'))

const NOTHING = 'Slipway does not start, and nothing was changed.'
const RIGHT = 'Is SLIPWAY_DATABASE_URL or SLIPWAY_DATA_DIR the wrong one? Correct it.'
const ADOPT = 'slipway-server admin instance adopt'

export const mismatch = {
  newDatabase: (path: string, instance: string) =>
    refusal(
      `The data directory ${path} belongs to the instance ${instance}, and the database has none yet. ${NOTHING}`,
      'Whatever a database does not name is deleted from its data directory in the end.',
      RIGHT,
      'Is this to be a new instance? Give it a directory of its own.',
      'Was the database lost? Restore its backup first: without it the files are of no use.',
    ),
  otherDirectory: (path: string, found: string, wanted: string) =>
    refusal(
      `The data directory ${path} belongs to the instance ${found}, the database to ${wanted}. ${NOTHING}`,
      'Whatever a database does not name is deleted from its data directory in the end.',
      RIGHT,
      `Do they belong together all the same? Run \`${ADOPT}\`.`,
    ),
  unknownDirectory: (path: string) =>
    refusal(
      `The data directory ${path} has files of organizations and projects, and nothing says that they are of this database. ${NOTHING}`,
      'Whatever a database does not name is deleted from its data directory in the end.',
      RIGHT,
      'Is the database empty, or one of another instance? Restore the backup that belongs to the directory.',
      `Do they belong together all the same? Run \`${ADOPT}\`.`,
    ),
  emptyDirectory: (path: string) =>
    refusal(
      `The data directory ${path} is empty, and the database names files in it. ${NOTHING}`,
      'Uploaded sources and old logs would be missing, and new ones would go to the wrong place.',
      'Is its disk not mounted, or SLIPWAY_DATA_DIR the wrong one? Correct it.',
      'Does another process use another directory? All processes of an instance need the same one.',
      `Are the files lost? Run \`${ADOPT}\` to go on without them.`,
    ),
  copy: (instance: string) =>
    refusal(
      `This database is not the one that the instance ${instance} has been using: it is a copy, or was restored. ${NOTHING}`,
      'Two databases of one instance would both change its servers, and delete what the other one knows.',
      RIGHT,
      `Was it restored or moved, and is the other one out of use for good? Run \`${ADOPT}\`.`,
      `Is it a copy to try something on? Run \`${ADOPT} --as-new\`: it becomes an instance of its own, which leaves the servers of the other one alone.`,
    ),
}
