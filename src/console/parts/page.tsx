import { type ReactNode, useEffect } from 'react'

type Props = {
  title: string
  /** What stands beside the title: the main act of the page. */
  acts?: ReactNode
  /** The way here, for pages inside an app. */
  trail?: ReactNode
  children: ReactNode
}

/** The head of a page and its content. The title is also that of the browser's tab. */
export function Page({ title, acts, trail, children }: Props) {
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <article className="page">
      {trail}
      <header className="page-head">
        <h1 tabIndex={-1}>{title}</h1>
        {acts && <div className="row">{acts}</div>}
      </header>
      {children}
    </article>
  )
}
