import type { Argument } from '../../command/command.ts'

export const ALIAS: Argument = { name: 'alias', completes: 'apps', summary: 'alias from `svc apps list`' }
