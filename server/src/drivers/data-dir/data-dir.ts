/** What the directory says about whose it is. */
export type DataDirMark = {
  /** The id of the instance. */
  instance: string
  /** How far the log of its database had come when that was last noted; null: not told. */
  flushed: string | null
}

/** The directory that holds what is not in the database: contents of uploads, old logs, what builds keep. */
export interface DataDir {
  readonly path: string
  /** Null where there is none; rejects for one that cannot be understood. */
  readMark(): Promise<DataDirMark | null>
  /** Marks a directory that bears no mark; false: somebody was faster. */
  mark(mark: DataDirMark): Promise<boolean>
  /** Marks it whatever it says. */
  remark(mark: DataDirMark): Promise<void>
  /** Some of the organizations and projects that have something in it; none: it is empty. */
  sample(): Promise<string[]>
  /** What `slipway setup` has noted of backups of the platform; null where there is nothing. */
  readBackupNotes(): Promise<string | null>
  /** Of the disk it is on, as this process may use it. */
  space(): Promise<{ totalBytes: number; freeBytes: number }>
}
