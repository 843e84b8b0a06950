ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "every" text;--> statement-breakpoint
ALTER TABLE "deskside_todo"."deleted_tasks" ADD COLUMN "next_id" bigint;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "every" text;--> statement-breakpoint
ALTER TABLE "deskside_todo"."tasks" ADD COLUMN "next_id" bigint;

CREATE FUNCTION deskside_todo.add_v2(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  added int := jsonb_array_length(call -> 'tasks');
  missing jsonb;
  used deskside_todo.idempotency_keys;
  last_id bigint;
BEGIN
  IF call ? 'key' THEN
    DELETE FROM deskside_todo.idempotency_keys
    WHERE user_id = owner AND created_at <= (call ->> 'at')::timestamptz - interval '24 hours';
    SELECT * INTO used FROM deskside_todo.idempotency_keys WHERE user_id = owner AND key = call ->> 'key';
    IF FOUND THEN
      RETURN jsonb_build_object(
        'outcome', CASE WHEN used.digest = call ->> 'digest' THEN 'ok' ELSE 'invalid' END,
        'task_id', used.task_id,
        'used', jsonb_build_object('digest', used.digest, 'taskId', used.task_id, 'createdAt', used.created_at));
    END IF;
  END IF;
  missing := deskside_todo.missing_v1(owner, call -> 'after');
  IF missing IS NOT NULL THEN RETURN jsonb_build_object('missing', missing); END IF;
  UPDATE deskside_todo.users SET last_task_id = last_task_id + added WHERE id = owner RETURNING last_task_id INTO last_id;
  INSERT INTO deskside_todo.tasks
    (user_id, id, title, description, completed, created_at, due_date, project, priority, waits_for, every)
  SELECT owner, last_id - added + position, title, description, completed, created_at, due_date, project, priority, waits_for, every
  FROM ROWS FROM (jsonb_to_recordset(call -> 'tasks') AS (title text, description text, completed boolean,
    created_at timestamptz, due_date date, project text, priority int, waits_for bigint[], every text))
    WITH ORDINALITY AS task (title, description, completed, created_at, due_date, project, priority, waits_for, every, position);
  INSERT INTO deskside_todo.task_words
  SELECT owner, word, last_id - added + position
  FROM jsonb_array_elements(call -> 'tasks') WITH ORDINALITY AS task (fields, position),
    jsonb_array_elements_text(fields -> 'words') AS word;
  IF call ? 'key' THEN
    INSERT INTO deskside_todo.idempotency_keys (user_id, key, digest, task_id, created_at)
    VALUES (owner, call ->> 'key', call ->> 'digest', last_id, (call ->> 'at')::timestamptz);
  END IF;
  RETURN jsonb_build_object('outcome', 'ok', 'last_id', last_id)
    || CASE WHEN added = 1 THEN jsonb_build_object('task_id', last_id) ELSE '{}' END;
END $$;
-- A recurring task that is completed needs "next": when the next one is due, which only the program can tell. It fits to "old", which
-- the program has read. The next task takes "every" over, so that no second completion creates another one.
CREATE FUNCTION deskside_todo.complete_v2(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
  next deskside_todo.tasks;
BEGIN
  SELECT * INTO task FROM deskside_todo.tasks WHERE user_id = owner AND id = (call -> 'id')::bigint;
  IF (call -> 'completed')::boolean AND NOT task.completed AND task.every IS NOT NULL THEN
    IF NOT coalesce(to_jsonb(task) @> (call -> 'old'), false) THEN RETURN jsonb_build_object('task', to_jsonb(task)); END IF;
    IF call ? 'next' THEN
      next := jsonb_populate_record(task, '{"claimed_by": null, "claim_key": null, "claimed_until": null, "next_id": null, "waits_for": []}'
        || (call -> 'next'));
      UPDATE deskside_todo.users SET last_task_id = last_task_id + 1 WHERE id = owner RETURNING last_task_id INTO next.id;
      INSERT INTO deskside_todo.tasks VALUES (next.*);
      INSERT INTO deskside_todo.task_words
      SELECT owner, word, next.id FROM deskside_todo.task_words WHERE user_id = owner AND task_id = task.id;
      task.every := NULL;
      task.next_id := next.id;
    END IF;
  END IF;
  UPDATE deskside_todo.tasks
  SET completed = (call -> 'completed')::boolean, claimed_by = NULL, claim_key = NULL, claimed_until = NULL,
    every = task.every, next_id = task.next_id
  WHERE user_id = owner AND id = task.id RETURNING * INTO task;
  RETURN deskside_todo.task_answer_v1(task);
END $$;
-- As update_v1, with "every".
CREATE FUNCTION deskside_todo.update_v2(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
  changed jsonb := call -> 'set';
  missing jsonb;
BEGIN
  SELECT * INTO task FROM deskside_todo.tasks WHERE user_id = owner AND id = (call -> 'id')::bigint;
  IF NOT FOUND THEN RETURN deskside_todo.task_answer_v1(task); END IF;
  IF NOT to_jsonb(task) @> (call -> 'old') THEN RETURN jsonb_build_object('task', to_jsonb(task)); END IF;
  IF changed ? 'waits_for' THEN
    missing := deskside_todo.missing_v1(owner, changed -> 'waits_for');
    IF missing IS NOT NULL THEN RETURN jsonb_build_object('missing', missing); END IF;
    IF EXISTS (
      WITH RECURSIVE earlier (id) AS (
        SELECT value::bigint FROM jsonb_array_elements(changed -> 'waits_for')
        UNION
        SELECT unnest(waits_for) FROM earlier JOIN deskside_todo.tasks ON user_id = owner AND tasks.id = earlier.id
      ) SELECT FROM earlier WHERE id = task.id
    ) THEN RETURN jsonb_build_object('loop', true); END IF;
  END IF;
  task := jsonb_populate_record(task, changed);
  UPDATE deskside_todo.tasks
  SET title = task.title, description = task.description, due_date = task.due_date, priority = task.priority,
    waits_for = task.waits_for, every = task.every
  WHERE user_id = owner AND id = task.id;
  IF call ? 'words' THEN
    DELETE FROM deskside_todo.task_words WHERE user_id = owner AND task_id = task.id;
    INSERT INTO deskside_todo.task_words SELECT owner, word, task.id FROM jsonb_array_elements_text(call -> 'words') AS word;
  END IF;
  RETURN deskside_todo.task_answer_v1(task);
END $$;
CREATE FUNCTION deskside_todo.change_v2(owner text, calls jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  call jsonb;
  answer jsonb;
  answers jsonb := '[]';
  is_heard boolean;
BEGIN
  PERFORM set_config('deskside.user_id', owner, true);
  -- A claim of the next task skips what others lock, and waits for no lock.
  IF jsonb_path_exists(calls, '$[*] ? (@.change != "claim" || exists(@.id))') THEN
    PERFORM FROM deskside_todo.users WHERE id = owner FOR NO KEY UPDATE;
    IF NOT FOUND AND calls @> '[{"change": "add"}]' THEN
      INSERT INTO deskside_todo.users AS known (id, last_task_id) VALUES (owner, 0)
      ON CONFLICT (id) DO UPDATE SET last_task_id = known.last_task_id;
    END IF;
  END IF;
  FOR call IN SELECT value FROM jsonb_array_elements(calls) LOOP
    PERFORM set_config('deskside.actor', call ->> 'actor', true);
    answer := CASE call ->> 'change'
      WHEN 'add' THEN deskside_todo.add_v2(owner, call)
      WHEN 'complete' THEN deskside_todo.complete_v2(owner, call)
      WHEN 'update' THEN deskside_todo.update_v2(owner, call)
      WHEN 'remove' THEN deskside_todo.remove_v1(owner, call)
      WHEN 'restore' THEN deskside_todo.restore_v1(owner, call)
      WHEN 'claim' THEN deskside_todo.claim_v1(owner, call)
      WHEN 'release' THEN deskside_todo.release_v1(owner, call)
    END;
    IF answer ->> 'outcome' = 'ok' THEN
      INSERT INTO deskside_todo.audit (at, actor, user_id, tool, outcome, task_id, changed)
      VALUES ((call ->> 'at')::timestamptz, call ->> 'actor', owner, call ->> 'tool', 'ok',
        (answer -> 'task_id')::bigint, call ->> 'changed');
      -- Servers with subscribers of this user hold the lock. NOTIFY lets commits wait for each other, so it is not for all.
      is_heard := coalesce(is_heard, NOT pg_try_advisory_xact_lock(1146309461, hashtext(owner)));
      IF is_heard THEN
        PERFORM pg_notify('deskside_todo', md5(owner) || ' ' || coalesce(answer ->> 'task_id', answer ->> 'last_id'));
      END IF;
    END IF;
    answers := answers || jsonb_build_array(answer);
  END LOOP;
  RETURN answers;
END $$;
