import { readFileSync } from 'node:fs'

/** Both src/ and dist/ lie right below package.json, and so does the program of a release. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
