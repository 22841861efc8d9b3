import { type SubmitEvent, useEffect, useState } from 'react'
import { Choice } from '#console/parts/form/choice.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { LOG_LEVELS, MAX_LOG_SEARCH_CHARS } from '#contract/apps/logs.ts'
import { chooseTime, TIMES, timeChoiceOf } from './log-search.ts'
import type { LogSearch } from './read-log-search.ts'

const LEVELS = [
  { value: 'any', label: 'Any level' },
  ...LOG_LEVELS.map((value) => ({ value, label: value === 'error' ? 'error' : `${value} and above` })),
] as const

type Props = { search: LogSearch; onChange: (search: LogSearch) => void }

export function LogFilters({ search, onChange }: Props) {
  const [text, setText] = useState(search.text ?? '')
  useEffect(() => setText(search.text ?? ''), [search.text])
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onChange({ ...search, text: text.trim() === '' ? undefined : text.trim() })
  }
  const choice = timeChoiceOf(search)
  return (
    <form className="filters" aria-label="Filters" onSubmit={submit}>
      <input
        type="search"
        aria-label="Words in the line"
        placeholder="Words in the line"
        value={text}
        maxLength={MAX_LOG_SEARCH_CHARS}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" className="button">
        Search logs
      </button>
      <Choice
        label="Level"
        isCompact
        value={search.level ?? 'any'}
        options={LEVELS}
        onChange={(level) => onChange({ ...search, level: level === 'any' ? undefined : level })}
      />
      {!search.live && (
        <Choice
          label="Time"
          isCompact
          value={choice}
          options={TIMES}
          onChange={(time) => onChange(chooseTime(search, time, new Date()))}
        />
      )}
      {!search.live && choice === 'exact' && <ExactTimes search={search} onChange={onChange} />}
      {search.deploy !== undefined && (
        <button type="button" className="button small" onClick={() => onChange({ ...search, deploy: undefined })}>
          Only deploy <code>{search.deploy}</code> ✕
        </button>
      )}
      <button
        type="button"
        className="button"
        aria-pressed={search.live === true}
        onClick={() => onChange({ ...search, live: search.live ? undefined : true })}
      >
        Follow live
      </button>
    </form>
  )
}

function ExactTimes({ search, onChange }: Props) {
  return (
    <>
      {(['since', 'until'] as const).map((name) => (
        <Field
          key={name}
          label={name === 'since' ? 'From' : 'To'}
          type="datetime-local"
          value={toLocal(search[name])}
          onChange={(value) => onChange({ ...search, [name]: fromLocal(value) })}
        />
      ))}
    </>
  )
}

const MINUTE_MS = 60_000

/** The value of a `datetime-local` input for a time, in the reader's zone. */
function toLocal(at: string | undefined): string {
  if (at === undefined) return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

/** The time that a `datetime-local` input has; undefined if it is empty. */
function fromLocal(value: string): string | undefined {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
