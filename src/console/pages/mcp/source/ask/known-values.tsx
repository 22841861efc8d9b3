import { useState } from 'react'
import type { z } from 'zod'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/form/fault.tsx'
import { VisibleText } from '#console/parts/text/visible-text.tsx'
import { activityStatistics, listActivity } from '#contract/activity.ts'
import { listKnownValues } from '#contract/data-sources/known-values.ts'

type Props = { id: string; target: string; column: string; onChoose: (value: string) => void }
type ValueList = z.infer<typeof listKnownValues.output>

/** Lists the values of a column when asked to, because each list counts as a question. */
export function KnownValues({ id, target, column, onChoose }: Props) {
  const [list, setList] = useState<ValueList>()
  const read = useAct(listKnownValues, { changes: [listActivity, activityStatistics], after: setList })
  if (list) return <Choices of={list} onChoose={onChoose} />
  return (
    <>
      <button
        type="button"
        className="button quiet small"
        title="Counts as a question"
        aria-busy={read.isRunning}
        onClick={() => read.run({ id, column, ...(target !== '' && { target }) })}
      >
        Show values<span className="visually-hidden"> of {column}</span>
      </button>
      <Fault of={read.error} />
    </>
  )
}

/** An empty text is no choice, because an empty field is no filter. */
function Choices({ of: { values: found, complete }, onChoose }: { of: ValueList; onChoose: Props['onChoose'] }) {
  const values = found.filter((value) => value !== '')
  if (values.length === 0)
    return <p className="soft">{complete ? 'No row has a value.' : 'It has too many values to list.'}</p>
  return (
    <fieldset className="known-values">
      <legend className="visually-hidden">Known values</legend>
      {values.map((value) => (
        <button key={value} type="button" className="button small" onClick={() => onChoose(value)}>
          <VisibleText line={value} />
        </button>
      ))}
      {!complete && <span className="soft">and others</span>}
    </fieldset>
  )
}
