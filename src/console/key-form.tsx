import type { SubmitEvent } from 'react'

type Props = { busy: boolean; onSubmit: (apiKey: string) => void }

export function KeyForm({ busy, onSubmit }: Props) {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget).get('api_key')
    if (typeof typed === 'string') onSubmit(typed.trim())
  }
  return (
    <form onSubmit={submit}>
      <label htmlFor="api_key">API key</label>
      <div className="row">
        <input
          id="api_key"
          name="api_key"
          type="password"
          required
          autoComplete="off"
          spellCheck={false}
          aria-describedby="api_key_note"
        />
        <button type="submit" aria-busy={busy}>
          {busy ? 'Looking…' : 'Show data sources'}
        </button>
      </div>
      <p id="api_key_note" className="note">
        Kept in this page’s memory only: gone when you close or reload it.
      </p>
    </form>
  )
}
