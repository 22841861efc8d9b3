import { randomBytes } from 'node:crypto'
import type { Environment } from '../../src/server/config/reader.ts'

/** Returns the variables of a server on the embedded default, with secrets of its own and as little work as it can have. */
export function embeddedEnvironment(dataDir: string): Environment {
  const key = () => randomBytes(32).toString('hex')
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    SVC_DATA_DIR: dataDir,
    // As on Postgres, where apps are off unless a test asks for them: a start would try out sandboxes and disks.
    SVC_ALLOW_PROCESS_DEPLOYS: 'false',
    // No load balancer sends requests to these processes, so a stop need not wait.
    SVC_DRAIN_SECONDS: '0',
    // A measurement in the background would choose between index and exact search while a test looks at one of them.
    SVC_MEASURE_INDEXES: 'false',
    // A look at night would read tables while a test counts statements.
    SVC_WATCH_VECTORS: 'false',
    SVC_JWT_SECRET: key(),
    SVC_JWT_SIGNING_KEY: key(),
    SVC_DATA_KEY: key(),
    SVC_INTERNAL_SECRET: key(),
    SVC_ACTOR_ASSERTION_SECRET: key(),
    SVC_OPERATOR_TOKEN: `svcop_${key()}`,
  }
}
