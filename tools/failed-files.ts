import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter } from 'vitest/node'

export const REPORT = '.ci/failed-files.json'

/** `errors`: what no test of those files stands for, such as a rejection that nobody heard. */
export type Failed = { files: string[]; errors: number }

/** For CI: which files failed, and whether anything else did. */
// biome-ignore lint/style/noDefaultExport: vitest takes a reporter by it.
export default class FailedFiles implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, errors) => {
    const files = modules.filter((module) => !module.ok()).map(({ moduleId }) => relative('.', moduleId))
    writeFileSync(REPORT, JSON.stringify({ files, errors: errors.length } satisfies Failed))
  }
}
