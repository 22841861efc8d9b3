import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'

type Notice = { readonly id: number; readonly text: string }
type Notices = { say(text: string): void }

const NoticesContext = createContext<Notices>({ say: () => {} })

export function useNotices(): Notices {
  return useContext(NoticesContext)
}

/** Says what happened after an act, for people and for screen readers. The newest replaces the one before. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice>()
  const say = useCallback((text: string) => setNotice((before) => ({ id: (before?.id ?? 0) + 1, text })), [])
  const notices = useMemo(() => ({ say }), [say])
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
