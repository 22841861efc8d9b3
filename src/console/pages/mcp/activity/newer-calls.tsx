import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { listActivity } from '#contract/activity.ts'

const EVERY_MS = 10_000

type Props = {
  input: z.input<typeof listActivity.input>
  /** Id of the newest call in the list. */
  newest: string
  isShown: boolean
  onShow: () => void
}

/** Offers calls that were made since the list was read. They are not added by themselves, because rows would jump. */
export function NewerCalls({ input, newest, isShown, onShow }: Props) {
  const first = useCall(listActivity, { ...input, limit: 1 }, { enabled: isShown, everyMs: EVERY_MS })
  const id = first.data?.items[0]?.id
  if (!isShown || id === undefined || id === newest) return null
  return (
    <p role="status">
      <button type="button" className="button small" onClick={onShow}>
        Show newer calls
      </button>
    </p>
  )
}
