import { type Case, serves, type Wrong, wordsOf } from './case.ts'

/** Files instead of an image. */
const folder = (name: string, files: Record<string, string>, wrong: Wrong): Case => ({
  name,
  run: (bench) =>
    bench.borrow(async (serving) => {
      const { id } = await bench.site.upload(files)
      const seen = await bench.deploy(serving.projectId, { from: { uploadSessionId: id } })
      return [...(await wordsOf(bench, seen, wrong)), ...(await serves(bench, serving))]
    }),
})

const dockerfile = (name: string, text: string, wrong: Omit<Wrong, 'step'>): Case =>
  folder(name, { Dockerfile: text }, { step: 'build', ...wrong })

export const buildCases: Case[] = [
  dockerfile('build: a command fails', 'FROM node:24-slim\nENV A=1\nRUN echo "about to fail"; exit 7\n', {
    code: 'build_failed',
    message: /\(Dockerfile, line 3, RUN echo .*\): a command ended with code 7\.$/,
    hint: /lines above it in the log/,
    line: /^about to fail$/,
  }),
  dockerfile('build: a command is not there', 'FROM node:24-slim\nRUN nosuch --version\n', {
    code: 'build_failed',
    message: /\(Dockerfile, line 2, RUN nosuch.*\): a command was not found/,
    hint: /base image that has it/,
    line: /not found/,
  }),
  dockerfile('build: a word that is no instruction', 'FROM node:24-slim\nRUNN true\n', {
    code: 'build_failed',
    message: /\(Dockerfile, line 2\): .*unknown instruction: RUNN/i,
    hint: /Correct the line/,
  }),
  dockerfile('build: a file that is not in the source', 'FROM node:24-slim\nCOPY nosuch.txt /\n', {
    code: 'build_failed',
    message: /\(Dockerfile, line 2, COPY nosuch\.txt \/\): .*nosuch\.txt.*not found/,
    hint: /part of the source/,
  }),
  dockerfile('build: a base image that nobody has', 'FROM 198.18.0.0.invalid/nosuch:1\n', {
    code: 'image_not_found',
    message: /^A base image is not on the server, and its registry cannot be reached/,
    hint: /reach the registry/,
  }),
  dockerfile(
    'build: no space left',
    'FROM busybox:1\nRUN --mount=type=tmpfs,target=/small,size=1048576 dd if=/dev/zero of=/small/x bs=1M count=4\n',
    {
      code: 'disk_full',
      message: /ran out of disk space \(Dockerfile, line 2/,
      hint: /Free some space/,
      line: /No space left on device/i,
    },
  ),
  dockerfile(
    'build: a program for another machine',
    'FROM busybox:1\nRUN printf "\\177ELF not for here" > /app && chmod +x /app\nCMD ["/app"]\n',
    {
      code: 'cannot_start',
      message: /cannot be started: .*Exec format error/,
      hint: /platform of the server/,
    },
  ),
  folder(
    'build: an install that fails',
    { 'package.json': '{"scripts":{"start":"node x","preinstall":"echo no; exit 9"}}' },
    {
      code: 'build_failed',
      step: 'build',
      message: /\(the generated Dockerfile, line \d+, RUN .*\): a command ended with code 9/,
      hint: /lines above it/,
    },
  ),
  folder(
    'build: nothing to build',
    { 'notes.txt': 'hello' },
    {
      code: 'nothing_to_build',
      step: 'build',
      message: /^There is no Dockerfile/,
      hint: /Add a Dockerfile/,
    },
  ),
].map((one) => (one.name === 'build: a program for another machine' ? { ...one, run: startsLater(one.run) } : one))

/** That one fails in the rollout. */
function startsLater(run: Case['run']): Case['run'] {
  return async (bench, slug) => (await run(bench, slug)).filter((complaint) => complaint !== 'step rollout, not build')
}
