// A separate bundle: the run panel loads it when the user acts in an environment that publishes a schema.
import jedison from 'jedison';
import type { ActionForm } from '../manual/load-form.ts';
import { enteredValue, formSchema } from './form-schema.ts';

function createForm(container: HTMLElement, actionSchema: Readonly<Record<string, unknown>>): ActionForm {
  const schema = formSchema(actionSchema);
  const form = new jedison.Create({
    container,
    theme: new jedison.Theme(),
    schema,
    btnIcons: false,
    objectAdd: false,
    arrayMove: false,
    arrayDeleteConfirm: false,
    purifyHtml: false,
    // Not when the focus leaves a field: a message that appears then moves the button under the mouse.
    showErrors: 'input',
  });
  const beginning = form.getValue();
  return {
    read() {
      const value = enteredValue(schema, form.getValue(), beginning);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as ReturnType<ActionForm['read']>)
        : null;
    },
    check() {
      form.showValidationErrors();
      return form.getErrors().length === 0;
    },
    remove: () => form.destroy(),
  };
}

window.taskwrightForm = createForm;
