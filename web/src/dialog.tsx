// A window over the page; the browser keeps the keyboard inside it.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from './text'

export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    // The first field, not the button that closes the window.
    dialog.current?.querySelector<HTMLElement>('.dialog > :not(header) :is(input, select, textarea, button)')?.focus()
  }, [])
  const closeOutside = (event: MouseEvent) => event.target === dialog.current && props.onClose()
  return (
    <dialog ref={dialog} onClose={props.onClose} onMouseDown={closeOutside} aria-label={props.title}>
      <div class="dialog">
        <header>
          <h2>{props.title}</h2>
          <button class="icon" onClick={props.onClose} aria-label={t('Close')}>
            ✕
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  )
}
