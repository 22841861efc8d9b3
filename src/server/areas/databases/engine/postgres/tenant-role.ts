/** The names of roles that belong to managed databases, of any platform on this server. */
export const TENANT_ROLE = '^[or]_[0-9a-f]{16}$'
