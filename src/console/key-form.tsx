import type { SubmitEvent } from 'react'

type Props = { busy: boolean; onSubmit: (apiKey: string) => void }

export function KeyForm({ busy, onSubmit }: Props) {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const apiKey = new FormData(event.currentTarget).get('api_key')
    if (typeof apiKey === 'string') onSubmit(apiKey.trim())
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
          {busy ? 'Loading…' : 'Show data sources'}
        </button>
      </div>
      <p id="api_key_note" className="note">
        The key is not stored. It is forgotten when you close or reload the page.
      </p>
    </form>
  )
}
