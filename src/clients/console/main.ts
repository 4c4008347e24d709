import { isFamilyName } from '../../domain/families/index.js';
import { Checker } from './checker.js';
import { announce, byId, element } from './elements.js';
import { RecentRequests } from './recent-requests.js';
import { RecentSection } from './recent-section.js';
import { countText } from './texts.js';
import { TokenField } from './token-field.js';
import { type Page, Upload } from './upload.js';
import { UploadService } from './upload-service.js';

const uploads = new Set<Upload>();
const cards = byId('cards', HTMLElement);
const sendAll = byId('send-all', HTMLButtonElement);
const input = byId('files', HTMLInputElement);
const drop = byId('drop', HTMLElement);
const zone = byId('zone', HTMLSelectElement);
const zoneField = byId('zone-field', HTMLElement);

const token = new TokenField();
const service = (): UploadService => new UploadService(token.value);
const recent = new RecentSection(new RecentRequests(), service, token);
const queued: Upload[] = [];
/** In the order in which the user has sent them last. */
const sent = new Set<Upload>();
let isSending = false;
/** Files whose check is under way. */
let checking = 0;
let previewing: Promise<void> = Promise.resolve();

const page: Page = {
  checker: new Checker(),
  token,
  get service() {
    return service();
  },
  recent,
  timeZone: () => zone.value,
  queue(upload) {
    queued.push(upload);
    sent.add(upload);
    if (!isSending) void sendQueued();
  },
  queuePreview(ask) {
    previewing = previewing.then(ask);
  },
  remove(upload) {
    uploads.delete(upload);
    sent.delete(upload);
    upload.card.root.remove();
    page.changed();
    announce(`Removed ${upload.file.name}`);
    if (uploads.size > 0) byId('uploads-heading', HTMLElement).focus();
    else input.focus();
  },
  changed() {
    byId('uploads', HTMLElement).hidden = uploads.size === 0;
    // All in one order: what is still being checked might come before others.
    sendAll.disabled = checking > 0 || ![...uploads].some(({ isReady }) => isReady);
  },
};

async function sendQueued(): Promise<void> {
  isSending = true;
  for (let upload = queued.shift(); upload !== undefined; upload = queued.shift()) {
    if (await upload.send()) {
      sent.delete(upload);
      continue;
    }
    for (const behind of queued.splice(0)) behind.hold();
  }
  isSending = false;
}

function family(): 'cost' | 'self-serve' {
  const chosen = document.querySelector<HTMLInputElement>('input[name="family"]:checked');
  return isFamilyName(chosen?.value) ? chosen.value : 'cost';
}

function add(files: readonly File[]): void {
  if (files.length === 0) return;
  announce(`${countText(files.length, 'file')} added`);
  for (const file of files) {
    const upload = new Upload(file, family(), page);
    uploads.add(upload);
    cards.append(upload.card.root);
    checking++;
    void upload.check().finally(() => {
      checking--;
      page.changed();
    });
  }
  page.changed();
}

token.onEntered(() => {
  for (const upload of uploads) upload.askForPreview();
});

input.addEventListener('change', () => {
  add([...(input.files ?? [])]);
  // So that the same file can be chosen again once it is corrected.
  input.value = '';
});

sendAll.addEventListener('click', () => {
  if (!token.demand()) return;
  // First those that were sent before, in the order in which their user sent them.
  for (const upload of new Set([...sent, ...uploads])) if (upload.isReady) upload.enqueue();
  page.changed();
  byId('uploads-heading', HTMLElement).focus();
});

// The files that wait would not be sent.
addEventListener('beforeunload', (event) => {
  if (isSending) event.preventDefault();
});

/** A text that is dragged, say into the token's field, is the browser's matter. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

// Anywhere on the page: a file that misses the box would otherwise replace the page.
addEventListener('dragover', (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  drop.classList.add('over');
});
addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) drop.classList.remove('over');
});
addEventListener('drop', (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  drop.classList.remove('over');
  add([...(event.dataTransfer?.files ?? [])]);
});

for (const radio of document.querySelectorAll('input[name="family"]')) {
  radio.addEventListener('change', () => {
    zoneField.hidden = family() === 'cost';
  });
}
zone.append(
  ...['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')].map((name) =>
    element('option', {}, name),
  ),
);
// A browser may bring back what was chosen before a reload.
zoneField.hidden = family() === 'cost';
