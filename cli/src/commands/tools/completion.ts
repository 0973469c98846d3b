import type { Command } from '../../command.ts'
import { completionScript } from '../../parse/completion.ts'

export const completion: Command<'completion'> = async ({ out, words }) => {
  const script = completionScript(words[0] as 'bash' | 'zsh' | 'fish')
  out.result({ success: true, shell: words[0], script }, () => script.split('\n'))
}
