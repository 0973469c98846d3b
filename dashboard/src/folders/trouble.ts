/** Something with a folder that is neither a refusal nor silence: a sentence of our own, with what to do. */
export class FolderTrouble extends Error {}

/** What was announced is not what is there any more. */
export const changed = (path: string): FolderTrouble =>
  new FolderTrouble(
    `${path} has changed or gone since it was read. Choose the folder again: what has arrived is not sent again.`,
  )
