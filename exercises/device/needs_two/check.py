def check(ran):
    error, values = ran.error, {"gpus": ran.gpus}
    if error and ("CUDA" in error.text or "NVIDIA" in error.text):
        return "beyond", values | {"line": error.line}
    if error and "same device" in error.text:
        return "apart", values | {"line": error.line}
    student = next(ran["student"].parameters()).device
    teacher = next(ran["teacher"].parameters()).device
    if ran.gpus and "cpu" in (student.type, teacher.type):
        return "on_cpu", values | {"name": "teacher" if teacher.type == "cpu" else "student"}
    if ran.gpus > 1 and teacher == student:
        return "unused", values | {"device": teacher}
    if (loss := getattr(ran["loss"], "device", student)) != student:
        return "loss_elsewhere", {"loss": loss, "student": student}
    return None
