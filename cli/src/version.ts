import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Both src/ and dist/ lie right below package.json, and so does the program of a release. */
const ABOUT = join(import.meta.dirname, '..', 'package.json')
export const VERSION: string = JSON.parse(readFileSync(ABOUT, 'utf8')).version
