import { type ReactNode, useEffect } from 'react'

type Props = {
  title: string
  /** The part of what the title names, for the browser's tab. */
  section?: string
  /** The main act of the page, beside the title. */
  acts?: ReactNode
  /** The way here, for pages inside an app. */
  trail?: ReactNode
  children: ReactNode
}

/** The head of a page and its content. The title is also that of the browser's tab. */
export function Page({ title, section, acts, trail, children }: Props) {
  useEffect(() => {
    document.title = [section, title, 'svc'].filter(Boolean).join(' · ')
  }, [title, section])
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
