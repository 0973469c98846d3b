import { z } from 'zod'
import { ROLES, SCOPES, type Scope } from './permissions.ts'

export const ScopeSchema = z.enum(SCOPES as [Scope, ...Scope[]]).meta({ id: 'Scope' })
export const RoleSchema = z.enum(ROLES).meta({ id: 'Role' })
