/** For people, on the channel that is not for programs. */
export type Say = (text: string) => void

export const say: Say = (text) => void process.stderr.write(`${text}\n`)
