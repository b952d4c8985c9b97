import { useEffect, useRef, useState } from 'react';
import { OnlyNow } from '../time/time-bar.js';
import { useMoment } from '../time/moment.js';
import { ChangeQuotas } from './change-quotas.js';
import { NeedsRole } from './needs-role.js';
import { Quotas, useQuotas } from './quotas.js';

/** What a project may use and uses. Operators change the limits; others read who can. */
export function ProjectQuotas({ project }: { readonly project: string }) {
  const [isOpen, setOpen] = useState(false);
  const [at] = useMoment();
  const { data } = useQuotas(project);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const isChanging = isOpen && at === undefined && data !== undefined;
  return (
    <section className="panel" aria-label="Quotas">
      <OnlyNow>Quotas are shown as they are now.</OnlyNow>
      {isChanging ? (
        <ChangeQuotas quotas={data} close={() => setOpen(false)} />
      ) : (
        <>
          <Quotas project={project} />
          {at === undefined ? (
            <NeedsRole role="operator" what="change the limits">
              <div className="form-end actions">
                <button ref={button} type="button" className="quiet" onClick={() => setOpen(true)}>
                  Change the limits
                </button>
              </div>
            </NeedsRole>
          ) : null}
        </>
      )}
    </section>
  );
}
