import type { Entry, Flag } from '../table/entry.ts'
import { GLOBAL } from '../table/global.ts'
import { table } from '../table/table.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** Everything that may stand after some words, from the table: a script asks nobody when a key is pressed. */
const after = completions()

export const completionScript = (shell: Shell): string => SCRIPTS[shell]()

function completions(): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>()
  const add = (words: string, next: string, about: string) => {
    const known = found.get(words) ?? new Map<string, string>()
    if (!known.has(next)) known.set(next, about)
    found.set(words, known)
  }
  for (const [name, entry] of Object.entries<Entry>(table)) {
    const [first = '', second] = name.split(' ')
    add('', first, second === undefined ? entry.summary : `${first} …`)
    if (second !== undefined) add(first, second, entry.summary)
    for (const word of entry.words?.[0]?.split('|') ?? [])
      if (/^[a-z0-9_-]+$/.test(word) && entry.words?.[0]?.includes('|')) add(name, word, '')
    if (entry.raw) continue
    const flags: [string, Flag][] = Object.entries({ ...entry.flags, ...GLOBAL })
    for (const [flag, { about }] of flags) add(name, `--${flag}`, about)
  }
  return found
}

const SCRIPTS: Record<Shell, () => string> = { bash, zsh, fish }

/** Words that are no flags, as far as the cursor: two of them say which command it is. */
function bash(): string {
  const cases = [...after].map(([words, next]) => `    '${words}') next='${[...next.keys()].join(' ')}' ;;`)
  return `# slipway completion bash > /etc/bash_completion.d/slipway
_slipway() {
  local current=\${COMP_WORDS[COMP_CWORD]} words='' next='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    [[ \${COMP_WORDS[at]} == -* ]] || words="\${words:+$words }\${COMP_WORDS[at]}"
  done
  case "$words" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -o default -F _slipway slipway`
}

function zsh(): string {
  const cases = [...after].map(
    ([words, next]) =>
      `    '${words}') next=(${[...next].map(([word, about]) => quoted(`${word.replaceAll(':', '\\:')}:${about}`)).join(' ')}) ;;`,
  )
  return `#compdef slipway
# slipway completion zsh > "\${fpath[1]}/_slipway"
_slipway() {
  local -a next said
  local word
  for word in "\${(@)words[2,CURRENT-1]}"; do [[ $word == -* ]] || said+=("$word"); done
  case "\${(j: :)said}" in
${cases.join('\n')}
    *) _files; return ;;
  esac
  _describe slipway next
}
_slipway "$@"`
}

function fish(): string {
  const lines = [...after].flatMap(([words, next]) =>
    [...next].map(([word, about]) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c slipway -n ${quoted(`__slipway_said ${words}`.trim())} ${what} -d ${quoted(about)}`
    }),
  )
  return `# slipway completion fish > ~/.config/fish/completions/slipway.fish
function __slipway_said
  set -l said (string match --invert -- '-*' (commandline -opc)[2..-1])
  test "$said" = "$argv"
end
complete -c slipway -f
${lines.join('\n')}`
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
