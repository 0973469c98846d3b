// Starts `slipway deploy` with a list of words: no input of a workflow ever reaches a shell.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

const input = (name) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim()

// The instance hands out the command line that fits it.
const fitting = () => new URL('/cli/slipway.tgz', input('url')).href
const [program, ...before] = input('cli') ? [input('cli')] : ['npx', '--yes', fitting()]
const what = input('image') ? ['--image', input('image')] : ['--', input('directory') || '.']
const argv = [...before, 'deploy', '--wait', '--no-input', '--timeout', input('timeout') || '900', ...what]
const { INPUT_TOKEN: _, ...env } = process.env
const child = spawn(program, argv, {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...env,
    SLIPWAY_URL: input('url'),
    SLIPWAY_TOKEN: input('token'),
    ...(input('project') && { SLIPWAY_PROJECT: input('project') }),
  },
})

let printed = ''
child.stdout.on('data', (chunk) => {
  printed += chunk
  process.stdout.write(chunk)
})
child.once('error', (error) => {
  console.error(`${program} could not be started: ${error.message}`)
  process.exitCode = 1
})
child.once('close', (code) => {
  const [url] = printed.split('\n')
  if (code === 0 && url && process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `url=${url}\n`)
  process.exitCode = code ?? 1
})
