import { readFileSync } from 'node:fs'

/** As package.json says; both src/ and dist/ lie right below it. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
