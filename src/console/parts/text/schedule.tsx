import { cronWords } from './describe-cron.ts'

/** When something runs, in words. The expression itself is shown on hover, and where it has no short words. */
export function Schedule({ cron, timezone }: { cron: string; timezone: string }) {
  const words = cronWords(cron)
  if (words === undefined)
    return (
      <>
        <code>{cron}</code> ({timezone})
      </>
    )
  return <span title={`${cron} (${timezone})`}>{`${words} (${timezone})`}</span>
}
