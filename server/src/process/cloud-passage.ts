import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { isNamed, mayConnect } from '../core/networks/may-connect.ts'
import { httpPassage } from '../drivers/cloud-forward/http-passage.ts'
import type { CloudPassage } from '../drivers/cloud-forward/passage.ts'

type Log = { warn(facts: object, words: string): void }

/** The way to hosted clouds. Without TLS only where the operator has named the network: a credential goes along. */
export function cloudPassage(config: Config, log: Log): CloudPassage {
  const { cloudCaFile } = config
  return httpPassage({
    mayConnect: mayConnect(config),
    mayConnectPlain: isNamed(config),
    extraRoots: async () => (cloudCaFile === null ? [] : [await readFile(cloudCaFile, 'utf8')]),
    told: (cloud, state) => log.warn({ cloud, state }, 'the way to the hosted cloud changed'),
  })
}
