import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderRules, folderRules, RULE_FILES, type RuleOptions } from '@slipway/contract/folder-rules'
import ignore from 'ignore'

/** Whether a path is left out. Folders end with a slash. */
export type Rules = {
  leavesOut(path: string): boolean
  /** The same with what the rule files of a folder say, which go before those above it. */
  below(folder: string): Promise<Rules>
}

/** The rules that every client keeps to, with the rule files of this folder. */
export const rulesOf = (root: string, options: RuleOptions = {}): Rules => of(root, folderRules(ignore, options))

const of = (root: string, rules: FolderRules): Rules => ({
  leavesOut: rules.leavesOut,
  below: async (folder) => {
    const texts = RULE_FILES.map((name) => readFile(join(root, folder, name), 'utf8').catch(() => ''))
    return of(root, rules.below(folder, await Promise.all(texts)))
  },
})
