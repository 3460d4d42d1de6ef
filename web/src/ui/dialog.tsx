// A modal on the native dialog element, which traps focus and closes on Escape.
import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import type { Problem } from '../api.ts';
import { Icon } from './icons.tsx';
import { Button, ProblemNotice } from './parts.tsx';

export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} className={wide ? 'wide' : ''} aria-label={title} onCancel={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}

/** A dialog that wraps a form with Cancel and Submit buttons and shows the problem if submitting fails. */
export function FormDialog({
  title,
  submit,
  danger,
  isRunning,
  problem,
  onSubmit,
  onInput,
  onClose,
  children,
}: {
  title: string;
  submit: string;
  danger?: boolean;
  isRunning: boolean;
  problem: Problem | undefined;
  onSubmit: (form: FormData) => void;
  /** Whenever something in the form changes. */
  onInput?: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={send} onInput={(event) => onInput?.(new FormData(event.currentTarget))} className="stack">
        {children}
        <ProblemNotice problem={problem} />
        <footer className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button look={danger ? 'danger' : 'primary'} type="submit" isRunning={isRunning}>
            {submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
