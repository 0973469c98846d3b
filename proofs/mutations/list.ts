import { access } from './access.ts'
import { byProofsOfData } from './by-proofs-of-data.ts'
import { byProofsOfDeploys } from './by-proofs-of-deploys.ts'
import { certificates } from './certificates.ts'
import { containers } from './containers.ts'
import type { Mutation } from './mutation.ts'
import { network } from './network.ts'
import { runs } from './runs.ts'
import { stored } from './stored.ts'

/** Faults that were seen to turn something red. What takes seconds comes first. */
export const mutations: Mutation[] = [
  ...access,
  ...stored,
  ...network,
  ...runs,
  ...containers,
  ...certificates,
  ...byProofsOfData,
  ...byProofsOfDeploys,
]
