import { z } from 'zod'
import { DEPLOYMENT_STATUSES } from './deployment-states.ts'

export const DeploymentStatusSchema = z.enum(DEPLOYMENT_STATUSES).meta({ id: 'DeploymentStatus' })
