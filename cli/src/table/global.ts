import { type Flag, flag, number, text } from './entry.ts'

/** Flags that every command takes. */
export const GLOBAL = {
  json: flag('one JSON object on stdout, one a line for streams; also when it fails'),
  project: text('NAME', 'the project, by name or id, instead of the linked one', 'p'),
  context: text('NAME', 'the instance to ask, by the name it was signed in to'),
  url: text('URL', 'the instance to ask, by its address'),
  'token-file': text('FILE', 'a file with the access token'),
  yes: flag('answer every question with yes', 'y'),
  'no-input': flag('never ask; what is missing is an error'),
  'no-color': flag('no colours'),
  quiet: flag('say nothing but results and failures', 'q'),
  timeout: number('SECONDS', 'give up waiting after that; what was begun goes on'),
  help: flag('what the command does', 'h'),
} as const satisfies Record<string, Flag>
