import { z } from 'zod'
import { Role, Scope } from './roles.ts'

const PRINCIPAL_KINDS = ['user', 'api_token', 'workload', 'agent', 'run'] as const
export const PrincipalKind = z.enum(PRINCIPAL_KINDS)
export type PrincipalKind = z.infer<typeof PrincipalKind>

/** The caller that a valid token stands for, as the auth service returns it. */
export const Principal = z.object({
  kind: PrincipalKind,
  id: z.string(),
  /** The person that the caller acts for. Null for workloads and runs. */
  user_id: z.string().nullable(),
  /** Null for a person without an organization. */
  org_id: z.string().nullable(),
  role: Role.nullable(),
  scopes: z.array(Scope),
  /** The OAuth client of an agent; other kinds have none. */
  client_id: z.string().optional(),
  deployment: z.string().optional(),
  execution: z.string().optional(),
  read_only: z.boolean().optional(),
  /** Set if the caller is vendor staff in a support session. */
  support: z.object({ staff_email: z.string() }).optional(),
  expires_at: z.iso.datetime().nullable(),
})
export type Principal = z.infer<typeof Principal>

/** The services that a token can be validated for. */
const AUDIENCES = ['api-gateway', 'auth-service', 'deploy-api', 'mcp-server'] as const
export const Audience = z.enum(AUDIENCES)
export type Audience = z.infer<typeof Audience>
