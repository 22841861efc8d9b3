import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'

type Notice = { readonly id: number; readonly text: string }
/** `prepare` takes the turn of a notice, and returns the function that shows it. A later turn is never replaced by it. */
type Notices = { prepare(): (text: string) => void }

const NoticesContext = createContext<Notices>({ prepare: () => () => {} })

export function useNotices(): Notices {
  return useContext(NoticesContext)
}

/** Shows the result of an act, also to screen readers. The newest replaces the one before. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice>()
  const turns = useRef(0)
  const prepare = useCallback(() => {
    turns.current += 1
    const id = turns.current
    return (text: string) => setNotice((before) => (before && before.id > id ? before : { id, text }))
  }, [])
  const notices = useMemo(() => ({ prepare }), [prepare])
  return (
    <NoticesContext value={notices}>
      {children}
      <div className="notices" role="status">
        {notice && (
          <p key={notice.id} className="notice">
            {notice.text}
            <button type="button" className="button quiet" aria-label="Dismiss" onClick={() => setNotice(undefined)}>
              ✕
            </button>
          </p>
        )}
      </div>
    </NoticesContext>
  )
}
