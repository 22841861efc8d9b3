import { Empty } from '#console/parts/empty.tsx'
import type { App } from '#contract/apps/apps.ts'
import { Commands } from '../commands.tsx'

/** The next step for an app without a deploy. */
export function FirstDeploy({ app: { alias, settings } }: { app: App }) {
  const start = settings.start_command === null ? [`svc apps change ${alias} --start "node server.js"`] : []
  return (
    <Empty title="Nothing is deployed yet">
      <p>Deploy the folder with its source. svc builds it, starts it and waits until it is healthy.</p>
      <Commands lines={[...start, `svc apps deploy ${alias} --dir . --follow`]} />
    </Empty>
  )
}
