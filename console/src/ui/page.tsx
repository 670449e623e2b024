import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'

type PageProps = {
  title: string
  /** Where one came from. */
  back?: { label: string; link: LinkProps }
  /** Beside the title: state chips. */
  state?: ReactNode
  /** One line under the title. */
  lead?: ReactNode
  /** At the right: the primary action last. */
  actions?: ReactNode
  tabs?: ReactNode
  /** Pages that are one tool, such as an editor, use the whole width and height. */
  isWide?: boolean
  children: ReactNode
}

/** Every page has one h1 and says in the window's title where one is. */
export function Page({ title, back, state, lead, actions, tabs, isWide, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Patchbay`
  }, [title])
  return (
    <div className={isWide ? 'flex flex-col lg:h-[calc(100dvh-var(--shell-top))]' : 'mx-auto w-full max-w-[1440px]'}>
      <header className={`px-4 pt-5 sm:px-6 ${tabs ? '' : 'pb-4'}`}>
        {back && (
          <nav aria-label="Breadcrumb" className="mb-1 flex items-center gap-0.5 text-label text-muted">
            <Link {...(back.link as LinkProps)} className="min-w-0 truncate rounded-sm hover:text-text hover:underline">
              {back.label}
            </Link>
            <ChevronRight size={12} aria-hidden className="shrink-0" />
          </nav>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h1 className="min-w-0 text-title font-semibold tracking-[-0.012em] [overflow-wrap:anywhere]">{title}</h1>
          {state}
          {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {lead && <div className="mt-1 max-w-[96ch] text-pretty text-muted">{lead}</div>}
        {tabs && <div className="mt-3">{tabs}</div>}
      </header>
      <div className={isWide ? 'flex min-h-0 flex-1 flex-col' : `px-4 pb-16 sm:px-6 ${tabs ? 'pt-4' : ''}`}>
        {children}
      </div>
    </div>
  )
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="mb-8">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 className="text-section font-semibold">{title}</h2>
        {actions && <div className="ml-auto flex items-center gap-2">{actions}</div>}
        {lead && <p className="w-full max-w-[96ch] text-pretty text-muted">{lead}</p>}
      </div>
      {children}
    </section>
  )
}
